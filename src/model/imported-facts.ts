import * as z from 'zod';

const known = z.string().max(2_000).nullable();
const text = z.string().max(2_000);

/** A file of another tool, as it was given and as the bundle holds it. */
const importedFileSchema = z.strictObject({
  /** Below what the user named, with `/`; importers may read it. */
  name: z.string().min(1).max(1_000),
  /** Name inside the bundle's folder `import`. */
  stored: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,150}$/),
  /** Of the file as it was given. */
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Only the lines that are read were kept, each in its place. Absent: the whole file was. */
  kept: z.literal('lines').optional(),
});
export type ImportedFile = z.infer<typeof importedFileSchema>;

/** A number that the tool printed, beside ours. */
const figureSchema = z.strictObject({
  name: text,
  /** As the tool says it. */
  told: text,
  /** As the episodes give it. */
  counted: text,
  /** Why the two differ, or that nobody knows; null where they agree. */
  why: known,
});
export type ImportedFigure = z.infer<typeof figureSchema>;

/** What the user said about the files; read again with the same words, they give the same. */
const askedSchema = z.strictObject({
  suite: known,
  /** Tasks times initial states, as `10x50`. */
  planned: known,
  /** How initial states follow from the order of episodes. */
  initStates: known,
});
export type ImportAsked = z.infer<typeof askedSchema>;

/** `imported` of run.json: which tool's results these are, and what is known of them. */
export const importedFactsSchema = z.strictObject({
  format: z.string().min(1).max(50),
  /** Tool and kind of file, for people. */
  title: text,
  /** Version of the tool, where a file says it. */
  version: known,
  files: z.array(importedFileSchema).max(10_000),
  /** Whether `names.txt` lists file names that are evidence by themselves. */
  names: z.boolean(),
  asked: askedSchema,
  /** How many episodes were meant: whose word it is, in words; null: nobody says. */
  planned: known,
  figures: z.array(figureSchema).max(200),
  /** What tells which initial states ran, or why nothing does. */
  matching: text,
  notes: z.array(text).max(500),
});
export type ImportedFacts = z.infer<typeof importedFactsSchema>;
