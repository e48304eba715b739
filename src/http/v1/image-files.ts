import { GatewayError } from "../../canon/errors.ts"
import { type StoredImage, IMAGE_PATH, type ImageStore } from "../../media/image-store.ts"
import type { Events } from "../../telemetry/events.ts"
import { anyone, noBody, serve } from "../endpoint.ts"
import type { Route } from "../server.ts"

/** `GET /v1/images/files/{name}`: returns a stored image to anyone who has the link. */
export function getImageFile(images: ImageStore, events: Events): Route {
  return serve(
    {
      method: "GET",
      path: `${IMAGE_PATH}{name...}`,
      auth: anyone,
      body: noBody,
      async handle({ id, request }) {
        const { pathname, searchParams } = new URL(request.url)
        const name = pathname.slice(IMAGE_PATH.length)
        const image = await images.open(name, searchParams.get("signature") ?? "")
        if (image) return response(image, id)
        throw new GatewayError("not_found", "There is no such image, or its link has expired.")
      },
    },
    events,
  )
}

/** Sends generated content strictly as an image, regardless of its bytes. */
function response({ body, mediaType, lifetime }: StoredImage, id: string): Response {
  return new Response(body, {
    headers: {
      "content-type": mediaType,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": `private, max-age=${Math.floor(lifetime / 1000)}, immutable`,
      "x-request-id": id,
      "request-id": id,
    },
  })
}
