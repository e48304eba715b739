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
 * Returns a request in the form in which a dialect encodes it. In the caller's own dialect, extras are used unchanged.
 * For another dialect, the canon's form of them is used, if the vendor supports the feature.
 * @param from the caller's dialect.
 */
export function carriedRequest(
  asked: ChatRequest,
  { dialect, webSearch: searches }: Pick<ChatBinding, "dialect" | "webSearch">,
  from: DialectId,
): ChatRequest {
  if (dialect.id === from) return asked
  const request = withoutOwnShape(withoutImageTool(withAddedTools(asked, from), dialect))
  if (request.webSearch === undefined) return withAllowedTools(request)
  const { webSearch, ...rest } = request
  const isTaken = request.allowedTools !== undefined || hasSearchFunction(request.tools)
  if (searches === true && !isTaken) return { ...withoutDeclared(rest, webSearch), webSearch }
  return withAllowedTools(requiresSearch(request) ? withoutChoice(rest) : rest)
}

/**
 * Adds tools that are declared within the conversation to the list of all tools, so that dropping their items is no
 * loss.
 */
function withAddedTools(request: ChatRequest, from: DialectId): ChatRequest {
  if (request.addedTools === undefined) return request
  const { addedTools, ...rest } = request
  const { all, others } = addedTools
  const fields: JsonObject = { ...request.extra?.fields }
  if (others.length > 0) fields.tools = [...listAt(fields, "tools"), ...others]
  return {
    ...rest,
    ...(all.length > 0 && { tools: all }),
    ...(Object.keys(fields).length > 0 && { extra: { dialect: from, fields } }),
  }
}

/** Returns the messages without items that only declare tools. These tools are in the request's list of tools. */
export function withoutToolItems({ messages, addedTools }: ChatRequest): readonly Message[] {
  if (addedTools === undefined) return messages
  const { item } = addedTools
  return messages.flatMap((message): Message[] => {
    const parts = message.parts.filter(
      (part) => part.type !== "unknown" || part.extra.fields[item] === undefined,
    )
    if (parts.length === message.parts.length) return [message]
    return parts.length === 0 ? [] : [{ ...message, parts }]
  })
}

/**
 * Returns the request without the tool that generates images, for vendors whose models generate images without a tool.
 */
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

/** Members that contain the shape of images, in the fields of all dialects. */
const SHAPE_MEMBERS = new Set(["aspect_ratio", "image_size", "aspectRatio", "imageSize"])

/**
 * Returns the request without the caller's own field for the shape of images. The dialect translates the shape or
 * reports it as a loss.
 */
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

/** Drops the requirement to call a tool that was left out. The tool is already reported as a loss. */
function withoutChoice(request: ChatRequest): ChatRequest {
  const { toolChoice: _, ...rest } = request
  return rest
}

/**
 * Returns the request without the caller's own declaration of a search. The search is translated, so nothing is lost.
 */
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
