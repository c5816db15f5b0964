import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{episodeRecordSchema,outcomeSchema,successSourceSchema}from"./chunk-5ADOJXAK.js";import"./chunk-UIU2TQQJ.js";import"./chunk-HAO7DEDV.js";import"./chunk-E3JWMDON.js";export{episodeRecordSchema,outcomeSchema,successSourceSchema};
