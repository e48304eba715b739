import type { JsonValue } from "../../canon/json.ts"
import { isWebUrl } from "../../canon/media-source.ts"
import { isVendorAddress, STATE, stateIn, type StateShape } from "../../canon/vendor-state.ts"

/** Google's own addresses and names of its files; public addresses belong to no one. */
function isKept(uri: JsonValue): boolean {
  return isVendorAddress(uri) || (typeof uri === "string" && !isWebUrl(uri))
}

const FILE = stateIn({ fileData: stateIn({ fileUri: { ...STATE.file, when: isKept } }) })

const PART: StateShape = {
  ...FILE,
  also: [stateIn({ functionResponse: stateIn({ parts: FILE }) })],
}

/** Where a request to generate content refers to state stored at its vendor (@google/genai). */
export const REQUEST_STATE: StateShape = stateIn({
  cachedContent: STATE.cache,
  contents: stateIn({ parts: PART }),
  systemInstruction: stateIn({ parts: PART }),
  tools: stateIn({
    fileSearch: stateIn({ fileSearchStoreNames: STATE.vectorStore }),
    retrieval: stateIn({
      vertexAiSearch: stateIn({
        datastore: STATE.vectorStore,
        engine: STATE.vectorStore,
        dataStoreSpecs: stateIn({ dataStore: STATE.vectorStore }),
      }),
      vertexRagStore: stateIn({
        ragCorpora: STATE.vectorStore,
        ragResources: stateIn({ ragCorpus: STATE.vectorStore }),
      }),
    }),
  }),
})
