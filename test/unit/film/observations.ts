import { encodePolicyWire, NdArray } from '../../../src/host/wire.ts';

/** Bytes of a picture that changes with `seed`: a bright square that wanders over a coloured ground. */
export function picture(seed: number, side = 64): NdArray {
  const data = new Uint8Array(side * side * 3);
  for (let row = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1) {
      const inSquare = Math.abs(row - side / 2) < 6 && Math.abs(column - ((seed * 3) % side)) < 6;
      data.set(
        inSquare ? [250, 240, 30] : [(row * 3) % 256, (column * 2) % 256, 90],
        (row * side + column) * 3,
      );
    }
  return new NdArray('|u1', [side, side, 3], data);
}

/** An observation as the runtime sends it to an OpenPI policy. */
export function observation(seed: number, side = 64): Uint8Array {
  return encodePolicyWire({
    'observation/wrist_image': picture(seed + 7, side),
    'observation/image': picture(seed, side),
    'observation/state': NdArray.float32([seed, 0, 0, 0, 0, 0, 0]),
    prompt: 'put the bowl on the plate',
  });
}
