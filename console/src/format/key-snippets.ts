/** The values needed for a first request. */
export interface Calling {
  /** The gateway's address, without `/v1` and without a trailing slash. */
  readonly baseUrl: string
  readonly key: string
  readonly model: string
}

export interface KeySnippet {
  readonly id: string
  readonly label: string
  /** The command that installs the client; absent if no installation is needed. */
  readonly install?: string
  readonly code: string
}

const QUESTION = "Say hello in one word."

/** Returns a complete first request for each popular client. */
export function keySnippets(calling: Calling): readonly KeySnippet[] {
  const base = calling.baseUrl.replace(/\/+$/, "")
  const whole = { ...calling, baseUrl: base }
  return [
    { id: "curl", label: "curl", code: curl(whole) },
    { id: "python", label: "Python", install: "pip install openai", code: python(whole) },
    { id: "node", label: "JavaScript", install: "npm install openai", code: node(whole) },
    {
      id: "anthropic",
      label: "Anthropic",
      install: "pip install anthropic",
      code: anthropic(whole),
    },
    { id: "google", label: "Google", install: "npm install @google/genai", code: google(whole) },
    { id: "ai-sdk", label: "AI SDK", install: "npm install ai @ai-sdk/openai", code: aiSdk(whole) },
    {
      id: "langchain",
      label: "LangChain",
      install: "pip install langchain-openai",
      code: langChain(whole),
    },
  ]
}

function curl({ baseUrl, key, model }: Calling): string {
  const body = { model, messages: [{ role: "user", content: QUESTION }] }
  return `curl ${shellText(`${baseUrl}/v1/chat/completions`)} \\
  -H ${shellText(`Authorization: Bearer ${key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shellText(JSON.stringify(body))}`
}

function python({ baseUrl, key, model }: Calling): string {
  return `from openai import OpenAI

client = OpenAI(
    base_url=${text(`${baseUrl}/v1`)},
    api_key=${text(key)},
)

answer = client.chat.completions.create(
    model=${text(model)},
    messages=[{"role": "user", "content": ${text(QUESTION)}}],
)
print(answer.choices[0].message.content)`
}

function node({ baseUrl, key, model }: Calling): string {
  return `import OpenAI from "openai"

const client = new OpenAI({
  baseURL: ${text(`${baseUrl}/v1`)},
  apiKey: ${text(key)},
})

const answer = await client.chat.completions.create({
  model: ${text(model)},
  messages: [{ role: "user", content: ${text(QUESTION)} }],
})
console.log(answer.choices[0].message.content)`
}

/** Anthropic's clients add `/v1` themselves. */
function anthropic({ baseUrl, key, model }: Calling): string {
  return `from anthropic import Anthropic

client = Anthropic(
    base_url=${text(baseUrl)},
    api_key=${text(key)},
)

answer = client.messages.create(
    model=${text(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": ${text(QUESTION)}}],
)
print(answer.content[0].text)`
}

/** Google's clients add the version themselves. */
function google({ baseUrl, key, model }: Calling): string {
  return `import { GoogleGenAI } from "@google/genai"

const client = new GoogleGenAI({
  apiKey: ${text(key)},
  httpOptions: { baseUrl: ${text(baseUrl)} },
})

const answer = await client.models.generateContent({
  model: ${text(model)},
  contents: ${text(QUESTION)},
})
console.log(answer.text)`
}

function aiSdk({ baseUrl, key, model }: Calling): string {
  return `import { createOpenAI } from "@ai-sdk/openai"
import { generateText } from "ai"

const tollgate = createOpenAI({
  baseURL: ${text(`${baseUrl}/v1`)},
  apiKey: ${text(key)},
})

const answer = await generateText({
  model: tollgate.chat(${text(model)}),
  prompt: ${text(QUESTION)},
})
console.log(answer.text)`
}

function langChain({ baseUrl, key, model }: Calling): string {
  return `from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    base_url=${text(`${baseUrl}/v1`)},
    api_key=${text(key)},
    model=${text(model)},
)
print(model.invoke(${text(QUESTION)}).content)`
}

/** Puts a text in double quotes, for Python and JavaScript. */
function text(value: string): string {
  return JSON.stringify(value)
}

function shellText(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}
