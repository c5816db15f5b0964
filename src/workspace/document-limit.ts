/**
 * Longest document of the runtime that is read, in bytes; the same for every part, so that what the preconditions accept
 * can also be edited. The runtime itself would need half an hour a session with a file of this size.
 */
export const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;
