/** Writes journal records into the folder of its first argument until the system refuses; prints what it was told. */
import { createJournal } from '../../../src/journal/journal.ts';

const journal = await createJournal(process.argv[2] ?? '', () => 0);
const refusals: string[] = [];
for (let written = 0; written < 200 && refusals.length < 2; written += 1) {
  await journal.append({ type: 'warning', message: 'x'.repeat(300) }).catch((error: unknown) => {
    refusals.push(String(error));
  });
}
await journal.close();
process.stdout.write(JSON.stringify(refusals));
