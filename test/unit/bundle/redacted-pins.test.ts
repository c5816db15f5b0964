import { describe, expect, it } from 'vitest';
import { textRedactor } from '../../../src/bundle/redact.ts';
import { redactedFacts } from '../../../src/bundle/redact-bundle.ts';
import { declared, observed } from '../../../src/model/pins.ts';
import { makeRunFacts } from '../results/record-builder.ts';

describe('pins that leave the host', () => {
  it('keep digests and versions, and no path or machine that somebody declared', () => {
    const pins = [
      observed('target contract sha256', 'c'.repeat(64)),
      declared('candidate policy reference', '/home/alice/ckpt on gpu-box-7'),
      declared('candidate image digest', null),
      observed('GPU', 'NVIDIA L40S'),
    ];
    const published = redactedFacts(makeRunFacts({ pins }), textRedactor(['gpu-box-7']));
    expect(published.pins).toEqual([
      pins[0],
      declared('candidate policy reference', '<path> on <path>'),
      pins[2],
      pins[3],
    ]);
  });

  it('are absent where a bundle has none', () => {
    expect(redactedFacts(makeRunFacts(), textRedactor([]))).not.toHaveProperty('pins');
  });
});
