/** How long each part of a run took, in the order in which they ended. */
export interface Phases {
  add(name: string, ms: number): void;
  list(): { readonly name: string; readonly ms: number }[];
}

export function createPhases(): Phases {
  const phases: { name: string; ms: number }[] = [];
  return {
    add: (name, ms) => {
      phases.push({ name, ms: Math.max(0, Math.round(ms)) });
    },
    list: () => [...phases],
  };
}
