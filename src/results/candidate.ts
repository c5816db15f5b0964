/** What a report is about: the candidate, else the only arm there is. */
export function candidateOf<T extends { readonly arm: string }>(arms: readonly T[]): T | undefined {
  return arms.find(({ arm }) => arm === 'candidate') ?? arms[0];
}
