import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{episodeRecordSchema,outcomeSchema,successSourceSchema}from"./chunk-PYW5VEBV.js";import"./chunk-EZD57P4L.js";import"./chunk-DV2MLHKS.js";import"./chunk-W5E2LLBK.js";import"./chunk-E3JWMDON.js";export{episodeRecordSchema,outcomeSchema,successSourceSchema};
