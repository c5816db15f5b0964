import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{withoutOdd}from"./chunk-ASLDPBVI.js";function printable(text){return withoutOdd(text.replaceAll(`\r
`,`
`),`
	`)}function withoutCommands(text){return text.replace(/^(\s*):(?=:)/gm,"$1: ").replaceAll("##[","# #[")}var PROGRESS_INTERVAL_MS=15e3,CLEAR_LINE="\r\x1B[2K",FALLBACK_COLUMNS=80,STYLE={red:31,yellow:33,bold:1};function terminalLog(options){let{stream,env,redact}=options,live=stream.isTTY===!0&&env.TERM!=="dumb",colours=live&&(env.NO_COLOR??"")==="",dueProgress=everyInterval(options.now),progressLine="",styled=(text,style)=>colours?`\x1B[${STYLE[style]}m${text}\x1B[0m`:text,inWorkflow=env.GITHUB_ACTIONS==="true",clean=message=>{let text=printable(redact(message));return inWorkflow?withoutCommands(text):text},line=text=>{stream.write(progressLine===""?`${text}
`:`${CLEAR_LINE}${text}
${progressLine}`)},endProgress=()=>{progressLine!==""&&stream.write(CLEAR_LINE),progressLine=""};return{info:message=>line(clean(message)),warning:message=>line(`${styled("warning:","yellow")} ${clean(message)}`),error:message=>{endProgress(),line(`${styled("error:","red")} ${clean(message)}`)},group:title=>{endProgress(),line(styled(clean(title),"bold"))},endGroup:endProgress,progress:message=>{let text=clean(message).replaceAll(`
`," ");if(!live){dueProgress()&&stream.write(`${text}
`);return}progressLine=text.slice(0,(stream.columns??FALLBACK_COLUMNS)-1),stream.write(CLEAR_LINE+progressLine)}}}function everyInterval(now,intervalMs=PROGRESS_INTERVAL_MS){let last=Number.NEGATIVE_INFINITY;return()=>{let time=now();return time-last<intervalMs?!1:(last=time,!0)}}export{printable,withoutCommands,terminalLog,everyInterval};
