import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { isatty, ReadStream, WriteStream } from 'node:tty';
import { checkOptions } from '../../../bounds/options.ts';
import { streamChannel } from '../channel.ts';
import type { SerialChannel } from '../channel.ts';

/** The options of `serialPort`. */
export interface SerialPortOptions {
  /** Bits per second, set with `stty`. Default: unchanged. */
  readonly baud?: number | undefined;
}

/**
 * Opens a serial port of this machine, such as `/dev/ttyUSB0`, in raw mode. Throws if there is no such terminal, or if
 * `stty` cannot set the speed. Not for Windows.
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
  // A second descriptor: if both streams shared one, closing the first stream would close it for the other.
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
