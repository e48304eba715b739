import { decodeSpeech } from "../../dialects/speech/request.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"
import { serve } from "../endpoint.ts"
import { callOf } from "./calls.ts"
import type { OperationEndpoint } from "./operation-endpoint.ts"

const PATH = "/v1/audio/speech"

/** Generates speech from a text. The audio is forwarded as it arrives. */
export const SPEECH: OperationEndpoint = {
  path: PATH,
  serve: (calls, { performers }) =>
    serve(
      {
        method: "POST",
        path: PATH,
        auth: calls.callerAuth,
        body: calls.json({ path: PATH, kind: "speech" }),
        async handle(context, { json, bytes }) {
          const taken = takePreferences(json)
          const call = callOf(context, bytes, taken)
          return performers.speech.answer(call, decodeSpeech(taken.body), context.request)
        },
      },
      calls.events,
    ),
  plan: ({ call, body }, { performers }) => [performers.speech.plan(call, decodeSpeech(body))],
}
