import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Entry, entriesOf, header, tarOf, writeArchive, writeBomb } from './tar-writer.ts';

/** An archive that a stranger made of a sound bundle's folder. */
export interface HostileArchive {
  readonly name: string;
  readonly expect: 'refused' | 'verified';
  readonly write: (dir: string, file: string) => void;
}

type Orders = 'manifest first' | 'by path';
const ORDERS: readonly Orders[] = ['manifest first', 'by path'];

const refused = (name: string, write: HostileArchive['write']): HostileArchive => ({
  name,
  expect: 'refused',
  write,
});

/** Entries that a bundle's archive never has, among those of a sound bundle. */
const ODD: readonly (readonly [string, Entry])[] = [
  ['a symbolic link', { name: 'b/link', type: '2', link: '/etc/passwd' }],
  ['a hard link', { name: 'b/link', type: '1', link: 'b/plan.json' }],
  ['a device', { name: 'b/null', type: '3' }],
  ['a folder', { name: 'b/more/', type: '5' }],
  ['a pipe', { name: 'b/pipe', type: '6' }],
  ['a sparse file', { name: 'b/sparse', type: 'S', content: 'x' }],
  ['an extended header', { name: 'b/x', type: 'x', content: '20 path=../../evil\n' }],
  ['a global header', { name: 'b/x', type: 'g', content: '20 path=../../evil\n' }],
  ['a long name', { name: '././@LongLink', type: 'L', content: `b/${'x'.repeat(5000)}` }],
  ['a climbing path', { name: 'b/../../evil' }],
  ['an absolute path', { name: '/tmp/evil' }],
  ['a path with a backslash', { name: 'b\\..\\evil' }],
  ['a name of other letters', { name: 'b/\u202etxt.exe' }],
  ['an empty name', { name: '' }],
  ['a second folder', { name: 'c/plan.json', content: '{}' }],
  ['the plan once more', { name: 'b/plan.json', content: '{}' }],
  ['a file that nobody lists', { name: 'b/more', content: 'x' }],
  ['a negative size', { name: 'b/more', size: '-0000000001\0' }],
  ['a size of another base', { name: 'b/more', size: '\x80\0\0\0\0\0\0\0\0\0\x01\0' }],
  ['a size of eight gigabytes', { name: 'b/more', size: '77777777777\0' }],
  ['a wrong checksum', { name: 'b/more', content: 'x', checksum: false }],
];

export const ARCHIVES: readonly HostileArchive[] = [
  ...ORDERS.map((order): HostileArchive => {
    return {
      name: `a sound bundle, ${order}`,
      expect: 'verified',
      write: (dir, file) => writeArchive(file, entriesOf(dir, 'b', order)),
    };
  }),
  ...ORDERS.flatMap((order) =>
    ODD.map(([what, entry]) =>
      refused(`${what}, ${order}`, (dir, file) => {
        const [first, ...rest] = entriesOf(dir, 'b', order);
        writeArchive(file, [...(first === undefined ? [] : [first]), entry, ...rest]);
      }),
    ),
  ),
  ...ORDERS.flatMap((order) => [
    refused(`without its end, ${order}`, (dir, file) => {
      const whole = gzipSync(tarOf(entriesOf(dir, 'b', order)));
      writeFileSync(file, whole.subarray(0, whole.length / 2));
    }),
    refused(`with another archive behind it, ${order}`, (dir, file) =>
      writeArchive(file, entriesOf(dir, 'b', order), tarOf([{ name: 'b/more', content: 'x' }])),
    ),
    refused(`with ten gigabytes of zeros behind it, ${order}`, (dir, file) =>
      writeBomb(file, tarOf(entriesOf(dir, 'b', order)), 160),
    ),
    refused(`with ten gigabytes of zeros in a file, ${order}`, (dir, file) => {
      const [first, ...rest] = entriesOf(dir, 'b', order);
      const head = [...(first === undefined ? [] : [first]), ...rest.slice(0, 3)];
      writeBomb(
        file,
        Buffer.concat([tarOf(head, false), header({ name: 'b/raw/x', size: '00077777777\0' })]),
        160,
      );
    }),
    refused(`with 900 MB of extended header, ${order}`, (dir, file) => {
      const [first] = entriesOf(dir, 'b', order);
      const head = tarOf(first === undefined ? [] : [first], false);
      writeBomb(file, Buffer.concat([head, header({ name: 'b/x', type: 'x', size: '06500000000\0' })]), 14);
    }),
    refused(`with 120,000 empty files, ${order}`, (dir, file) => {
      const more = Array.from({ length: 120_000 }, (_, at): Entry => ({ name: `b/raw/x/f${at}` }));
      writeArchive(file, [...entriesOf(dir, 'b', order), ...more]);
    }),
    refused(`with 120,000 empty files in folders of their own, ${order}`, (dir, file) => {
      const more = Array.from({ length: 120_000 }, (_, at): Entry => ({ name: `b/raw/x${at}/f` }));
      writeArchive(file, [...entriesOf(dir, 'b', order), ...more]);
    }),
  ]),
  refused('nothing', (_, file) => writeFileSync(file, '')),
  refused('nothing, compressed', (_, file) => writeFileSync(file, gzipSync(''))),
  refused('no archive', (_, file) => writeFileSync(file, 'no archive')),
  refused('an archive of nothing', (_, file) => writeArchive(file, [])),
  refused('something compressed', (_, file) => writeFileSync(file, gzipSync(Buffer.alloc(1e6, 'x')))),
  refused('an archive of zeros', (_, file) => writeBomb(file, Buffer.alloc(0), 160)),
  refused('a manifest of 200 MB', (_, file) =>
    writeBomb(file, header({ name: 'b/manifest.json', size: '01440000000\0' }), 4),
  ),
  refused('a manifest of a hundred thousand files', (dir, file) => {
    const manifest = JSON.parse(String(entriesOf(dir, 'b', 'manifest first')[0]?.content));
    const files = Array.from({ length: 100_000 }, (_, at) => ({ ...manifest.files[0], path: `f${at}` }));
    writeArchive(file, [{ name: 'b/manifest.json', content: JSON.stringify({ ...manifest, files }) }]);
  }),
];
