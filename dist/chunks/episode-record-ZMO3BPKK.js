import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{episodeRecordSchema,outcomeSchema,successSourceSchema}from"./chunk-QBTGKZSJ.js";import"./chunk-37ISA5BU.js";import"./chunk-DV2MLHKS.js";import"./chunk-LM7J5B4K.js";import"./chunk-E3JWMDON.js";export{episodeRecordSchema,outcomeSchema,successSourceSchema};
