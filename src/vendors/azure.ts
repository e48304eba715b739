import type { ProviderSettings } from "../config/settings.ts"
import { openAiEmbedding } from "../dialects/embedding/formats/openai.ts"
import { openAiImages } from "../dialects/image/formats/openai.ts"
import { OPENAI_FAMILIES } from "../dialects/image/formats/openai-families.ts"
import { OPENAI_CHAT } from "../dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../dialects/openai-responses/index.ts"
import { binding } from "./bindings.ts"
import { OPENAI_SOUND } from "./compatible-operations.ts"
import { headerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

/** The path of the v1 API, in which the body's `model` names the deployment. */
const API_PATH = "/openai/v1"

/**
 * Azure OpenAI through its v1 API, which needs no version in the query and no deployment in the path
 * (docs/contribute/wire/openai-chat.md#f25).
 */
export const AZURE: Vendor = {
  id: "azure",
  name: "Azure OpenAI",
  keyVariables: ["AZURE_OPENAI_API_KEY"],
  variableSets: [
    { needed: { api_key: ["AZURE_OPENAI_API_KEY"], base_url: ["AZURE_OPENAI_ENDPOINT"] } },
  ],
  needs: [["base_url"]],
  chat: [binding(OPENAI_CHAT, "/chat/completions"), binding(OPENAI_RESPONSES, "/responses")],
  operations: {
    embedding: openAiEmbedding(OPENAI_CHAT.decodeError),
    image: openAiImages(OPENAI_FAMILIES),
    ...OPENAI_SOUND,
  },
  baseUrlOf,
  signer: ({ apiKey }) => headerSigner("api-key", apiKey),
  probe: (provider) => ({ url: `${baseUrlOf(provider) ?? ""}/models` }),
}

/** Returns the base URL. Azure's own pages only show the address of the resource, without the path of the API. */
function baseUrlOf({ baseUrl }: ProviderSettings): string | undefined {
  if (baseUrl === undefined) return undefined
  return new URL(baseUrl).pathname === "/" ? baseUrl + API_PATH : baseUrl
}
