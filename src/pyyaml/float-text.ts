/** Text of a floating-point number that the runtime reads back as a float: point before the exponent, sign in it. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  const split = text.indexOf('e');
  const mantissa = split < 0 ? text : text.slice(0, split);
  const exponent = split < 0 ? '' : text.slice(split + 1);
  const pointed = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  if (exponent === '') return pointed;
  return `${pointed}e${/^[-+]/.test(exponent) ? '' : '+'}${exponent}`;
}
