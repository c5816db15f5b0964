import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
function isRecord(value){return typeof value=="object"&&value!==null&&!Array.isArray(value)}function textOrNull(value){return typeof value=="string"?value:null}export{isRecord,textOrNull};
