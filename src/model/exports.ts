/** What a bundle can hold for another tool. */
export const EXPORTS = ['wandb', 'hf-model-card'] as const;
