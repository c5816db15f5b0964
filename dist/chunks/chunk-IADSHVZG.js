import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{access,lstat}from"node:fs/promises";var yes=()=>!0,no=()=>!1;function isThere(file){return access(file).then(yes,no)}function isTaken(file){return lstat(file).then(yes,no)}export{isThere,isTaken};
