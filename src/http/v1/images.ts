import type { Settings } from "../../config/settings.ts"
import type { ImageRequest, ImageTask } from "../../canon/image.ts"
import { missingParameter } from "../../canon/invalid-request.ts"
import {
  decodeImageParameters,
  IMAGE_FIELD_KINDS,
  type ImageParameters,
} from "../../dialects/image/request.ts"
import {
  MAX_IMAGE_BYTES,
  MAX_PHOTO_BYTES,
  MAX_PHOTOS,
  readPhotos,
  readRequestImages,
} from "../../media/request-images.ts"
import type { EndpointResponse, Call } from "../../relay/request/call.ts"
import { callerOrigin } from "../caller-origin.ts"
import type { HandlerContext } from "../endpoint.ts"
import type { Form } from "../uploads/form-reader.ts"
import type { FileRules } from "../uploads/form-rules.ts"
import type { Route } from "../server.ts"
import { callOf, type Calls, FORM } from "./calls.ts"
import { withDescribedImages, withoutFiles } from "./estimate-files.ts"
import {
  type EditRules,
  jsonOperation,
  type OperationEndpoint,
  type OperationParts,
} from "./operation-endpoint.ts"

/** Returns the edit rules of the settings. */
export function editRulesOf({ images: { mask, rules } }: Pick<Settings, "images">): EditRules {
  const isByProvider = rules === "provider"
  return { needsMask: mask !== "optional" && !isByProvider, isByProvider }
}

/** Maximum images of an edit. Models with a lower limit report the limit themselves. */
const MAX_IMAGES = 4

/** The files of an edit if the model's own rules apply. */
const PHOTOS: FileRules = {
  image: { count: MAX_PHOTOS, bytes: MAX_PHOTO_BYTES },
  mask: { count: 1, bytes: MAX_PHOTO_BYTES },
}

const ONE_IMAGE = { count: 1, bytes: MAX_IMAGE_BYTES }

/** Generates images from a prompt. */
export const IMAGE_GENERATIONS = jsonOperation({
  path: "/v1/images/generations",
  purpose: { kind: "image" },
  decode: (body) => ({ ...decodeImageParameters("generation", body), images: [] }),
  plan: ({ image }, call, request) => image.plan({ call, model: request.model, request }),
  perform: (parts, { call, request, context }) =>
    make(parts, { call, context, model: request.model }, request),
})

/** Changes images in the transparent areas of a mask. */
export const IMAGE_EDITS = fromForm({
  task: "edit",
  path: "/v1/images/edits",
  rules: { image: { count: MAX_IMAGES, bytes: MAX_IMAGE_BYTES }, mask: ONE_IMAGE },
})

/** Generates variations of an image. */
export const IMAGE_VARIATIONS = fromForm({
  task: "variation",
  path: "/v1/images/variations",
  rules: { image: ONE_IMAGE },
})

interface FormEndpoint {
  readonly task: Exclude<ImageTask, "generation">
  readonly path: OperationEndpoint["path"]
  readonly rules: FileRules
}

function fromForm({ task, path, rules }: FormEndpoint): OperationEndpoint {
  return {
    path,
    serve: (calls, parts) => formRoute({ task, path, rules }, calls, parts),
    plan({ call, body }, { performers, editRules }) {
      const parameters = decodeImageParameters(task, withoutFiles(body, "image", "mask"))
      const request = withDescribedImages(parameters, body)
      requireMask(request, editRules())
      return [performers.image.plan({ call, model: parameters.model, request })]
    },
  }
}

function formRoute(
  { task, path, rules }: FormEndpoint,
  calls: Calls,
  services: OperationParts,
): Route {
  const isByProvider = (): boolean => task === "edit" && services.editRules().isByProvider
  return calls.run({
    path,
    body: (request, caller) =>
      calls.form(isByProvider() ? PHOTOS : rules, "image")(request, caller),
    async handle(context, form) {
      const call = callOf(context, form.bytes, FORM)
      const fields = form.fields.parameters(IMAGE_FIELD_KINDS)
      if (isByProvider()) {
        // OpenAI's models for such edits return image data, so their clients expect no links.
        const parameters = decodeImageParameters(task, fields, "b64_json")
        const { size, ...images } = await readPhotos(form.files)
        const wanted = { ...parameters, ...images, size: parameters.size ?? size }
        return await make(services, { call, context, model: parameters.model }, wanted)
      }
      const parameters = decodeImageParameters(task, fields)
      const wanted = await withImages(parameters, form, (bytes) =>
        services.inspector.readPng(bytes, call.key.account),
      )
      requireMask(wanted, services.editRules())
      return await make(services, { call, context, model: parameters.model }, wanted)
    },
  })
}

/**
 * Rejects an edit without a mask, if the settings require a mask.
 * @throws GatewayError
 */
function requireMask(
  { task, mask }: Pick<ImageRequest, "task" | "mask">,
  { needsMask }: EditRules,
): void {
  if (task === "edit" && mask === undefined && needsMask) throw missingParameter("mask")
}

/**
 * Adds the images to a request. An edit has the size of its image, unless the caller lets the model choose the size.
 */
async function withImages(
  parameters: ImageParameters,
  form: Form,
  read: Parameters<typeof readRequestImages>[3],
): Promise<ImageRequest> {
  const { task, size } = parameters
  const { size: own, ...images } = await readRequestImages(task, form.files, size, read)
  return { ...parameters, ...images, ...(task === "edit" && { size: size ?? own }) }
}

interface Received {
  readonly call: Call
  readonly context: Pick<HandlerContext<unknown>, "request" | "connection">
  /** The requested model; undefined if the operator's default model is used. */
  readonly model: string | undefined
}

function make(
  { performers, publicUrl, ownUrl }: OperationParts,
  { call, context: { request, connection }, model }: Received,
  wanted: ImageRequest,
): Promise<EndpointResponse> {
  // Without a public URL and without a proxy's report, links contain the host of the request if it is a private name.
  // The caller can reach the gateway by that name.
  const base = publicUrl() ?? connection.origin ?? callerOrigin(request.url, ownUrl())
  return performers.image.make({ call, model, request: wanted, base }, request)
}
