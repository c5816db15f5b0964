import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{episodeRecordSchema,outcomeSchema,successSourceSchema}from"./chunk-BIDF7GAR.js";import"./chunk-HTINNSPE.js";import"./chunk-DV2MLHKS.js";import"./chunk-LVGSNERC.js";import"./chunk-E3JWMDON.js";export{episodeRecordSchema,outcomeSchema,successSourceSchema};
