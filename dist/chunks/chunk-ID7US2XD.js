import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);
import{PYTHON_SPACE}from"./chunk-ZCFW5YUG.js";var OPENING=new RegExp(`(\`{3,}|~{3,})${PYTHON_SPACE}*yaml(${PYTHON_SPACE}*)`,"gi");function findYamlBlock(text){OPENING.lastIndex=0;for(let match=OPENING.exec(text);match!==null;match=OPENING.exec(text)){let found=blockAfter(text,match);if(found!==null)return found;OPENING.lastIndex=match.index+(match[1]??"").length}return{problem:whyNone(text)}}function blockAfter(text,opening){let run=opening[1]??"",blanks=opening[2]??"",starts=lineStarts(text,opening.index+opening[0].length-blanks.length,blanks.length);for(let length=run.length;length>=3;length-=1){let fence=run.slice(0,length);for(let start of starts){let end=closingLineEnd(text,start,fence);if(end===null)continue;return{body:text.slice(start,end),start,end,fence,lineEnd:lineEndOf(text,start),firstLine:lineNumber(text,start)}}}return null}function lineStarts(text,from,length){let starts=[];for(let at=from;at<from+length;at+=1){let character=text[at];(character===`
`||character==="\r"&&text[at+1]!==`
`)&&starts.unshift(at+1)}return starts}function closingLineEnd(text,start,fence){for(let at=text.indexOf(fence,start);at>=0;at=text.indexOf(fence,at+1)){let before=text[at-1];if(before!==`
`&&before!=="\r")continue;let end=before===`
`&&text[at-2]==="\r"?at-2:at-1;if(end>=start)return end}return null}function lineEndOf(text,bodyStart){let before=text.slice(Math.max(0,bodyStart-2),bodyStart);return before===`\r
`?`\r
`:before.endsWith("\r")?"\r":`
`}function lineNumber(text,offset){return(text.slice(0,offset).match(/\r\n|\r|\n/g)??[]).length+1}function whyNone(text){return text.trim()===""?"the file is empty":/(?:`{3,}|~{3,})[ \t]*yml\b/i.test(text)?"the block says `yml`; the runtime only takes `yaml`":/(?:`{3,}|~{3,})[ \t]*yaml[ \t]*\S/i.test(text)?"something follows `yaml` on the opening line of the block":/(?:`{3,}|~{3,})[ \t]*yaml/i.test(text)?"the block has no body or is not closed by a line that starts with the same fence":"there is no block that opens with ```yaml"}function renderDocument(title,body){return`# ${title}

\`\`\`yaml
${body.endsWith(`
`)?body:`${body}
`}\`\`\`
`}export{findYamlBlock,renderDocument};
