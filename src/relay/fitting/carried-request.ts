import type { ChatRequest } from "../../canon/chat.ts"
import type { UpstreamDialect } from "../../canon/dialect.ts"
import type { DialectId } from "../../canon/extra.ts"
import type { Message } from "../../canon/message.ts"
import type { WebSearch } from "../../canon/web-search.ts"
import { isImageTool } from "../../dialects/shared/modalities.ts"
import { requiresSearch, hasSearchFunction } from "../../dialects/shared/search.ts"
import { isJsonObject, type JsonObject, listAt, unknownFields } from "../../canon/json.ts"
import type { ChatBinding } from "../../vendors/vendor.ts"
import { withAllowedTools } from "./allowed-tools.ts"

/**
 * Returns a request as a dialect encodes it. Extras of the caller's own dialect are used unchanged in that dialect;
 * for another dialect they are expressed in the canon, if its vendor supports them.
 * @param from the caller's dialect.
 */
export function carriedRequest(
  asked: ChatRequest,
  { dialect, webSearch: searches }: Pick<ChatBinding, "dialect" | "webSearch">,
  from: DialectId,
): ChatRequest {
  if (dialect.id === from) return asked
  const request = withoutOwnShape(withoutImageTool(withBrought(asked, from), dialect))
  if (request.webSearch === undefined) return withAllowedTools(request)
  const { webSearch, ...rest } = request
  const isTaken = request.allowedTools !== undefined || hasSearchFunction(request.tools)
  if (searches === true && !isTaken) return { ...withoutDeclared(rest, webSearch), webSearch }
  return withAllowedTools(requiresSearch(request) ? withoutChoice(rest) : rest)
}

/** Adds the tools that a conversation brings to the list of all tools, so that no item is lost for them. */
function withBrought(request: ChatRequest, from: DialectId): ChatRequest {
  if (request.broughtTools === undefined) return request
  const { broughtTools, ...rest } = request
  const { all, others } = broughtTools
  const fields: JsonObject = { ...request.extra?.fields }
  if (others.length > 0) fields.tools = [...listAt(fields, "tools"), ...others]
  return {
    ...rest,
    ...(all.length > 0 && { tools: all }),
    ...(Object.keys(fields).length > 0 && { extra: { dialect: from, fields } }),
  }
}

/** Returns the messages without items that only bring tools; these tools are then in the request's list. */
export function withoutToolItems({ messages, broughtTools }: ChatRequest): readonly Message[] {
  if (broughtTools === undefined) return messages
  const { item } = broughtTools
  return messages.flatMap((message): Message[] => {
    const parts = message.parts.filter(
      (part) => part.type !== "unknown" || part.extra.fields[item] === undefined,
    )
    if (parts.length === message.parts.length) return [message]
    return parts.length === 0 ? [] : [{ ...message, parts }]
  })
}

/** The request without the tool that makes images, for vendors whose models make them without a tool. */
function withoutImageTool(request: ChatRequest, { supports }: UpstreamDialect): ChatRequest {
  const { extra, modalities } = request
  if (modalities?.includes("image") !== true || supports["output.image"] !== "carried")
    return request
  if (extra === undefined || !Array.isArray(extra.fields.tools)) return request
  const { tools, ...fields } = extra.fields
  const others = tools.filter((tool) => !isImageTool(tool))
  if (others.length > 0) Object.assign(fields, { tools: others })
  return { ...request, extra: { ...extra, fields } }
}

/** Members of the fields that hold the shape of images, in all dialects. */
const SHAPE_MEMBERS = new Set(["aspect_ratio", "image_size", "aspectRatio", "imageSize"])

/** Returns the request without the caller's own image shape field, which a dialect translates or reports. */
function withoutOwnShape(request: ChatRequest): ChatRequest {
  const { extra, ...rest } = request
  if (request.imageShape === undefined || extra === undefined) return request
  const { image_config: own, generationConfig: generation, ...fields } = extra.fields
  const config = isJsonObject(own) ? unknownFields(own, SHAPE_MEMBERS) : undefined
  if (config !== undefined) fields.image_config = config
  if (isJsonObject(generation)) {
    const { imageConfig, ...others } = generation
    const more = isJsonObject(imageConfig) ? unknownFields(imageConfig, SHAPE_MEMBERS) : undefined
    if (more !== undefined) others.imageConfig = more
    if (Object.keys(others).length > 0) fields.generationConfig = others
  }
  return Object.keys(fields).length === 0 ? rest : { ...rest, extra: { ...extra, fields } }
}

/** Drops the requirement to call a tool that was left out, which is reported. */
function withoutChoice(request: ChatRequest): ChatRequest {
  const { toolChoice: _, ...rest } = request
  return rest
}

/** Returns the request without the search declaration in the caller's dialect, which is not lost. */
function withoutDeclared(request: ChatRequest, { declared }: WebSearch): ChatRequest {
  const { extra, ...rest } = request
  if (extra === undefined) return request
  const fields: JsonObject = { ...extra.fields }
  for (const name of declared.fields) delete fields[name]
  if (Array.isArray(fields.tools)) {
    const others = fields.tools.filter((tool) => tool !== declared.tool)
    if (others.length > 0) fields.tools = others
    else delete fields.tools
  }
  return Object.keys(fields).length === 0 ? rest : { ...rest, extra: { ...extra, fields } }
}
