import type { JsonObject } from "../conversation.ts"
import { curlCode } from "./curl.ts"
import { KEY_VARIABLE } from "./key-variable.ts"
import { JAVASCRIPT_STYLE, literal, PYTHON_STYLE } from "./literal.ts"
import type { CodeSample } from "./samples.ts"

/** A request that is no chat, as it was sent. */
export interface SentOperation {
  /** `/v1/embeddings` */
  readonly path: string
  readonly body: JsonObject
}

interface OpenaiForm {
  /** The method of OpenAI's clients. */
  readonly method: string
  /** A further import of the JavaScript. */
  readonly needs?: string
  /** What is done with the answer, in Python and in JavaScript. */
  readonly python: string
  readonly javascript: string
}

/** What OpenAI's clients can do. Rerank is not among it. */
const OPENAI: Readonly<Record<string, OpenaiForm>> = {
  "/v1/embeddings": {
    method: "embeddings.create",
    python: "print([len(item.embedding) for item in answer.data])",
    javascript: "console.log(answer.data.map((item) => item.embedding.length))",
  },
  "/v1/images/generations": {
    method: "images.generate",
    python: "print([item.b64_json or item.url for item in answer.data])",
    javascript: "console.log(answer.data.map((item) => item.b64_json ?? item.url))",
  },
  "/v1/audio/speech": {
    method: "audio.speech.create",
    needs: `import { writeFile } from "node:fs/promises"`,
    python: `answer.write_to_file("speech")`,
    javascript: `await writeFile("speech", Buffer.from(await answer.arrayBuffer()))`,
  },
}

/** A request in each client that can send it. @param base the gateway's address, without `/v1`. */
export function operationSamples(base: string, { path, body }: SentOperation): CodeSample[] {
  const curl = { id: "curl", label: "curl", code: curlCode(base, path, body) }
  const form = OPENAI[path]
  if (form === undefined)
    return [curl, { id: "fetch", label: "fetch", code: fetchCode(base, path, body) }]
  return [
    curl,
    { id: "openai-python", label: "OpenAI, Python", code: pythonCode(base, form, body) },
    {
      id: "openai-javascript",
      label: "OpenAI, JavaScript",
      code: javascriptCode(base, form, body),
    },
  ]
}

function pythonCode(base: string, { method, python }: OpenaiForm, body: JsonObject): string {
  const lines = Object.entries(body).map(
    ([name, value]) => `    ${name}=${literal(value, PYTHON_STYLE, "    ")},`,
  )
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key=os.environ["${KEY_VARIABLE}"])

answer = client.${method}(
${lines.join("\n")}
)
${python}
`
}

function javascriptCode(
  base: string,
  { method, needs, javascript }: OpenaiForm,
  body: JsonObject,
): string {
  return `${needs === undefined ? "" : `${needs}\n`}import OpenAI from "openai"

const client = new OpenAI({
  baseURL: "${base}/v1",
  apiKey: process.env.${KEY_VARIABLE},
})

const answer = await client.${method}(${literal(body, JAVASCRIPT_STYLE)})
${javascript}
`
}

function fetchCode(base: string, path: string, body: JsonObject): string {
  return `const response = await fetch("${base}${path}", {
  method: "POST",
  headers: {
    authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\`,
    "content-type": "application/json",
  },
  body: JSON.stringify(${literal(body, JAVASCRIPT_STYLE, "  ")}),
})
console.log(await response.json())
`
}
