import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import {
  type Caller,
  chat,
  embed,
  generateContent,
  generateImage,
  listModels,
  message,
  receiptOf,
  rerank,
  speak,
  streamedChat,
  transcribe,
} from "./calls.ts"
import { type ExampleGateway, EXAMPLES_FOLDER } from "./gateway.ts"

/** The address of the gateway in the network of the containers. */
const IN_NETWORK = "http://tollgate:8787"

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string>> }>
  >
}

function read(path: string): string {
  return readFileSync(join(EXAMPLES_FOLDER, path), "utf8")
}

/** Calls the gateway as described in the README. */
export async function callCompose(gateway: ExampleGateway): Promise<void> {
  const [, model = ""] = /"model":"([^"]+)"/.exec(read("docker-compose/README.md")) ?? []
  await chat(gateway, model)
}

/** Sends the requests that Open WebUI sends with the variables of its container. */
export async function callOpenWebui(gateway: ExampleGateway): Promise<void> {
  const { services } = parse(read("open-webui/compose.yaml")) as Compose
  const environment = services["open-webui"]?.environment ?? {}
  const variable = (name: string): string => {
    const value = environment[name]
    if (value === undefined) throw new Error(`open-webui has no ${name}`)
    return value
  }
  for (const [name, value] of Object.entries(environment)) {
    const isAddress = name.endsWith("_URL")
    if (isAddress && !value.startsWith(IN_NETWORK)) throw new Error(`${name} is ${value}`)
    if (isAddress && !/\/v1(\/rerank)?$/.test(value)) throw new Error(`${name} is ${value}`)
  }
  const [model = ""] = (await listModels(gateway)).filter((id) => id.startsWith("openai/gpt-5"))
  const headers = {
    [variable("FORWARD_USER_INFO_HEADER_USER_ID")]: "ada",
    [variable("FORWARD_SESSION_INFO_HEADER_CHAT_ID")]: "chat-1",
  }
  const id = await streamedChat(gateway, model, headers)
  await expectCaller(gateway, id, { user: "ada", session: "chat-1" })
  await embed(gateway, variable("RAG_EMBEDDING_MODEL"))
  await rerank(gateway, variable("RAG_RERANKING_MODEL"))
  await speak(gateway, variable("AUDIO_TTS_MODEL"), variable("AUDIO_TTS_VOICE"))
  await transcribe(gateway, variable("AUDIO_STT_MODEL"))
  await generateImage(gateway, variable("IMAGE_GENERATION_MODEL"))
}

/** Sends the requests of LibreChat's custom endpoint. */
export async function callLibreChat(gateway: ExampleGateway): Promise<void> {
  const { endpoints } = parse(read("librechat/librechat.yaml")) as {
    endpoints: {
      custom: readonly {
        baseURL: string
        titleModel: string
        models: { default: readonly string[] }
        headers: Readonly<Record<string, string>>
      }[]
    }
  }
  const [endpoint] = endpoints.custom
  if (endpoint?.baseURL !== `${IN_NETWORK}/v1`) throw new Error("librechat.yaml: wrong baseURL")
  const models = await listModels(gateway)
  for (const model of [...endpoint.models.default, endpoint.titleModel]) {
    if (!models.includes(model)) throw new Error(`librechat.yaml names ${model}, which is unknown`)
    const id = await streamedChat(gateway, model, endpoint.headers)
    const [user, session] = Object.values(endpoint.headers)
    await expectCaller(gateway, id, { user, session })
  }
}

/** Calls the gateway with each credential, like n8n's nodes. */
export async function callN8n(gateway: ExampleGateway): Promise<void> {
  const credentials = JSON.parse(read("n8n/credentials.json")) as readonly {
    type: string
    data: { url?: string; host?: string }
  }[]
  for (const { type, data } of credentials) {
    const address = (data.url ?? data.host ?? "").replace(IN_NETWORK, "")
    switch (type) {
      case "openAiApi":
        if (address !== "/v1") throw new Error(`${type}: the address needs /v1`)
        await listModels(gateway)
        await streamedChat(gateway, "anthropic/claude-sonnet-5")
        break
      case "anthropicApi":
        if (address !== "") throw new Error(`${type}: the address is ${address}`)
        await message(gateway, "openai/gpt-5.4-mini")
        break
      case "googlePalmApi":
        // The library that n8n's node uses omits `models/`.
        if (address !== "") throw new Error(`${type}: the address is ${address}`)
        await generateContent(gateway, "anthropic/claude-sonnet-5")
        break
      default:
        throw new Error(`no call for credentials of the type ${type}`)
    }
  }
}

async function expectCaller(
  gateway: Caller,
  id: string,
  expected: { readonly user: string | undefined; readonly session: string | undefined },
): Promise<void> {
  const { user, session } = await receiptOf(gateway, id)
  if (user === expected.user && session === expected.session) return
  throw new Error(`the receipt names the user ${user} and the session ${session}`)
}
