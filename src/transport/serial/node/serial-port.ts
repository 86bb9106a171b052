import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { isatty, ReadStream, WriteStream } from 'node:tty';
import { checkOptions } from '../../../bounds/options.ts';
import { streamChannel } from '../channel.ts';
import type { SerialChannel } from '../channel.ts';

/** How a port is opened. */
export interface SerialPortOptions {
  /** Bits a second, set with `stty`. As the port is. */
  readonly baud?: number | undefined;
}

/**
 * Opens a serial port of this machine, such as `/dev/ttyUSB0`, in raw mode. Throws where there is no such terminal, or it
 * cannot be set to that speed. Not for Windows.
 */
export function serialPort(path: string, options: SerialPortOptions = {}): SerialChannel {
  checkOptions('serialPort: options', options, { baud: 'number' });
  const { baud } = options;
  const flags = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;
  const fd = openSync(path, flags);
  if (!isatty(fd)) {
    closeSync(fd);
    throw new Error(`${path} is not a serial port`);
  }
  if (baud !== undefined) {
    const { error, status, stderr } = spawnSync('stty', [process.platform === 'linux' ? '-F' : '-f', path, String(baud)], { encoding: 'utf8' });
    if (error ?? status !== 0) {
      closeSync(fd);
      throw new Error(`${path} was not set to ${baud} baud: ${error?.message ?? stderr.trim()}`);
    }
  }
  const input = new ReadStream(fd);
  input.setRawMode(true);
  // A stream of its own: one of both would close the descriptor under the other.
  const output = new WriteStream(openSync(path, flags));
  const { write } = streamChannel(output);
  let closed = false;
  return {
    write: (bytes) => (closed ? undefined : write(bytes)),
    read(data, gone) {
      const end = (error?: Error): void => {
        if (!closed) gone(error?.message);
      };
      input.on('data', data);
      input.once('end', () => end());
      // EIO: the device was pulled out.
      input.on('error', end);
      output.on('error', end);
    },
    close() {
      closed = true;
      input.destroy();
      output.destroy();
    },
  };
}
