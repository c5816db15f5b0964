import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{episodeRecordSchema,outcomeSchema,successSourceSchema}from"./chunk-BFMJ5M4N.js";import"./chunk-UIU2TQQJ.js";import"./chunk-HEMZZMLB.js";import"./chunk-E3JWMDON.js";export{episodeRecordSchema,outcomeSchema,successSourceSchema};
