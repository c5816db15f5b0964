/** Ending of the note beside an attempt whose raw evidence was removed; inside it would be one file too many. */
export const RAW_REMOVED = '.raw-removed.json';
