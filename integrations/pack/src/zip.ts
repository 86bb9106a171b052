import { deflateRawSync } from 'node:zlib';

/** A file of an archive. */
export interface ZipFile {
  /** With `/` between folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** 1 January 1980, the first day in ZIP: so the same files always make the same archive. */
const date = 1 << 5 | 1;

/**
 * A ZIP archive (PKWARE APPNOTE 6.3) of deflated files, independent of the machine and the time. For less than 65,536 files and 4
 * GiB.
 */
export function zip(files: readonly ZipFile[]): Uint8Array {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const text = Buffer.from(name, 'utf8');
    // The part common to both headers: version 2.0, names in UTF-8, deflate, the date, checksum, sizes, length of the name.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(date, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(text.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, text, packed]);
    const rest = Buffer.alloc(14);
    // A plain file that its owner may write and all may read.
    rest.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, rest, text]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
