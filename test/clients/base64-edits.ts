import { createOpenAI, type OpenAIProvider } from "@ai-sdk/openai"
import type { TestCaller, TestGateway } from "../support/gateway.ts"

/** The AI SDK accepts only base64 from edits without requesting it, and links are this gateway's default. */
export function editorOf(gateway: TestGateway, caller: TestCaller): OpenAIProvider {
  const asking = (url: string | URL | Request, init?: RequestInit) => {
    if (init?.body instanceof FormData) init.body.set("response_format", "b64_json")
    return fetch(url, init)
  }
  return createOpenAI({
    apiKey: caller.key,
    baseURL: `${gateway.url}/v1`,
    fetch: asking as typeof fetch,
  })
}
