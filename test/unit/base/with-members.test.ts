import { describe, expect, it } from 'vitest';
import { stableLine } from '../../../src/base/stable-json.ts';
import { withMembers } from '../../../src/base/with-members.ts';

describe('an object made of named members', () => {
  it('has them in order, and takes no name for its prototype', () => {
    const made = withMembers(['b', '__proto__', 'a'], (name) => name.toUpperCase());
    expect(Object.keys(made)).toEqual(['b', '__proto__', 'a']);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(JSON.stringify(made)).toBe('{"b":"B","__proto__":"__PROTO__","a":"A"}');
  });

  it('a stable line sorts by code unit, keeps every name and leaves out what is undefined', () => {
    const value: unknown = JSON.parse('{"\u00e4": 1, "b": {"__proto__": {"x": 1}, "B": 2}, "a": [null]}');
    expect(stableLine({ ...Object(value), gone: undefined })).toBe(
      '{"a":[null],"b":{"B":2,"__proto__":{"x":1}},"\u00e4":1}\n',
    );
  });
});
