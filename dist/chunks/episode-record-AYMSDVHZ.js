import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{episodeRecordSchema,outcomeSchema,successSourceSchema}from"./chunk-NS7WMEGN.js";import"./chunk-FK46DX3D.js";import"./chunk-DV2MLHKS.js";import"./chunk-E3JWMDON.js";export{episodeRecordSchema,outcomeSchema,successSourceSchema};
