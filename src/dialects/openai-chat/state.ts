import { isJsonObject, type JsonObject } from "../../canon/json.ts"
import { FILE_ADDRESS, STATE, stateIn, type StateShape } from "../../canon/vendor-state.ts"

/** A search index. No tool of the request limits its search results. */
const INDEX: StateShape = { names: { kind: "vector_store" } }

const CONTENT = stateIn({
  file: stateIn({ file_id: STATE.file, file_data: FILE_ADDRESS }),
  // At some vendors, the address is a plain string.
  image_url: { ...stateIn({ url: FILE_ADDRESS }), also: [FILE_ADDRESS] },
})

/**
 * The places in a chat request that refer to state stored by a vendor: OpenAI's files and audio, Google's caches,
 * OpenRouter's presets, Azure's search indexes.
 */
export const REQUEST_STATE: StateShape = stateIn({
  messages: stateIn({ content: CONTENT, audio: stateIn({ id: STATE.audio }) }),
  preset: STATE.prompt,
  cached_content: STATE.cache,
  extra_body: stateIn({
    cached_content: STATE.cache,
    google: stateIn({ cached_content: STATE.cache }),
  }),
  google: stateIn({ cached_content: STATE.cache }),
  data_sources: stateIn({ parameters: stateIn({ index_name: INDEX }) }),
})

const SPOKEN = stateIn({ audio: stateIn({ id: STATE.audio }) })

/** The state in a whole response, or in a chunk of a response. */
const RESPONSE_STATE = stateIn({ choices: stateIn({ message: SPOKEN, delta: SPOKEN }) })

/** Returns the places of state in the response to a request. A vendor stores its audio output for later turns. */
export function responseState(body: JsonObject): StateShape | undefined {
  return isJsonObject(body.audio) ? RESPONSE_STATE : undefined
}
