import { describe, expect, it } from 'vitest';
import { controlShape } from '../../../src/qualification/control-shape.ts';

const contract = (width: unknown) => ({ action_contract: { shape: ['T', width] } });

describe('the answers of a control', () => {
  it('have the width of the target: its config, else its contract', () => {
    expect(controlShape({ action_dim: 4 }, contract(6)).actionDim).toBe(4);
    expect(controlShape({}, contract(6)).actionDim).toBe(6);
    expect(controlShape({ action_dim: 'wide' }, contract(23)).actionDim).toBe(23);
  });

  it('have what the runtime takes where nobody says it', () => {
    for (const unsaid of [null, {}, contract('A'), contract(0)])
      expect(controlShape({}, unsaid)).toEqual({ actionDim: 7, chunk: 4 });
  });

  it('are short, and never longer than the target takes', () => {
    expect(controlShape({ max_chunk_size: 50 }, null).chunk).toBe(10);
    expect(controlShape({ max_chunk_size: 1 }, null).chunk).toBe(1);
  });
});
