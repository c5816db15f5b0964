export { loadYaml } from '../pyyaml/load.ts';
export { hasNonTextKey } from '../pyyaml/read.ts';
export { PyFloat, PyTimestamp } from '../pyyaml/values.ts';
export { YamlError } from '../pyyaml/yaml-error.ts';
