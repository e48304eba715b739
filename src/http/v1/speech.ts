import type { ServicePath } from "#contract/service-routes.ts"
import { decodeSpeech } from "../../dialects/speech/request.ts"
import type { Speech } from "../../relay/operations/speech/speech.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"
import { serve } from "../endpoint.ts"
import type { Route } from "../server.ts"
import { callOf, type Calls } from "./calls.ts"

/** `POST /v1/audio/speech` */
export const SPEECH_PATH: ServicePath = "/v1/audio/speech"

/** Speech from a text; the audio is passed on while it arrives. */
export function speech(calls: Calls, speaking: Speech): Route {
  return serve(
    {
      method: "POST",
      path: SPEECH_PATH,
      auth: calls.callerAuth,
      body: calls.json({ path: SPEECH_PATH, kind: "speech" }),
      async handle(context, { json, bytes }) {
        const taken = takePreferences(json)
        const call = callOf(context, bytes, taken)
        return speaking.answer(call, decodeSpeech(taken.body), context.request)
      },
    },
    calls.events,
  )
}
