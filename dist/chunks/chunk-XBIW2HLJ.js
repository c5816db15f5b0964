import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{cellKey}from"./chunk-HTINNSPE.js";function plainRow(label,value){return{label,value,code:!1}}function episodeAnchor(cell){return`ep-${cellKey(cell)}`}export{plainRow,episodeAnchor};
