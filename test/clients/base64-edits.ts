import { createOpenAI, type OpenAIProvider } from "@ai-sdk/openai"
import type { TestCaller, TestGateway } from "../support/gateway.ts"

/**
 * Returns an image editor of the AI SDK. The SDK accepts only base64 from edits but does not request it, and the
 * gateway returns links by default.
 */
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
