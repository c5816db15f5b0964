/** RB2xx: runtime documents in the workspace. */
export const WORKSPACE_ERRORS = {
  RB200: { title: 'Unclassified problem of this area', help: 'Read the message; it names the place and the value.' },
} as const;
