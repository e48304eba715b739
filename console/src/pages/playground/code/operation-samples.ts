import type { JsonObject } from "../conversation.ts"
import { curlCode } from "./curl.ts"
import { KEY_VARIABLE } from "./key-variable.ts"
import { JAVASCRIPT_STYLE, literal, PYTHON_STYLE } from "./literal.ts"
import type { CodeSample } from "./samples.ts"

/** A sent request of an operation other than chat. */
export interface SentOperation {
  /** The path of the endpoint, such as `/v1/embeddings`. */
  readonly path: string
  readonly body: JsonObject
}

/** Describes how OpenAI's clients call an operation. */
export interface OpenaiForm {
  /** The method of OpenAI's clients. */
  readonly method: string
  /** An additional import that the JavaScript sample needs. */
  readonly needs?: string
  /** The code that uses the response, in Python and in JavaScript. */
  readonly python: string
  readonly javascript: string
}

/**
 * Writes a request for each client that supports the operation.
 * @param base the gateway's address, without `/v1`.
 * @param form absent if OpenAI's clients do not support the operation.
 */
export function operationSamples(
  base: string,
  { path, body }: SentOperation,
  form?: OpenaiForm,
): CodeSample[] {
  const curl = { id: "curl", label: "curl", code: curlCode(base, path, body) }
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
