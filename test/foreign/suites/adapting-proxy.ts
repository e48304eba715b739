import { wave } from "../../support/audio.ts"
import { png, pngFile } from "../../support/png.ts"
import type { Target } from "../target.ts"

/**
 * Starts a proxy in front of the gateway for suites that were written for a mock server. It sets the key, selects a
 * model of the sandbox, replaces "Example data" with a real image or sound, and adds an input to a responses request
 * without an input. All other data passes unchanged.
 */
export function startAdapting(target: Target, model: string): AdaptingProxy {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      for (const name of ["host", "content-length", "authorization", "x-api-key"])
        headers.delete(name)
      headers.set("authorization", `Bearer ${target.key}`)
      const body = await adaptedBody(request, pathname, model)
      if (body instanceof FormData) headers.delete("content-type")
      const options = body === undefined ? {} : { body }
      const response = await fetch(`${target.url}${pathname}${search}`, {
        method: request.method,
        headers,
        ...options,
      })
      return new Response(response.body, {
        status: response.status,
        headers: { "content-type": response.headers.get("content-type") ?? "" },
      })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}

interface AdaptingProxy extends AsyncDisposable {
  readonly url: string
}

/** The sandbox model for each path. */
const MODELS: readonly (readonly [RegExp, string])[] = [
  [/\/embeddings$/, "sandbox/embed"],
  [/\/images\//, "sandbox/image"],
  [/\/audio\/speech$/, "sandbox/speech"],
  [/\/audio\//, "sandbox/transcribe"],
]

async function adaptedBody(
  request: Request,
  path: string,
  chat: string,
): Promise<string | FormData | undefined> {
  if (request.method === "GET" || request.method === "DELETE") return undefined
  const model = MODELS.find(([pattern]) => pattern.test(path))?.[1] ?? chat
  const isForm = request.headers.get("content-type")?.startsWith("multipart/") === true
  if (!isForm) {
    const text = await request.text()
    const added = path.endsWith("/responses") ? { input: "Hello" } : {}
    const sent = text === "" ? {} : (JSON.parse(text) as object)
    return text === "" && !("input" in added) ? text : JSON.stringify({ ...added, ...sent, model })
  }
  const form = (await request.formData()) as FormData
  form.set("model", model)
  for (const name of FILES.filter((one) => form.has(one))) {
    form.set(name, name === "file" ? new File([wave(1)], "a.wav") : image(name === "mask"))
  }
  return form
}

const FILES = ["file", "image", "mask"]
const SIDE = 256

function image(isClear: boolean): File {
  return pngFile(isClear ? png(SIDE, SIDE) : png(SIDE, SIDE, { colour: 2 }))
}
