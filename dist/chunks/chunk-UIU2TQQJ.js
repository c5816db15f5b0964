import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{createHash}from"node:crypto";function sha256Of(content){return createHash("sha256").update(content).digest("hex")}export{sha256Of};
