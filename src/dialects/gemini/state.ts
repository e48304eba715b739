import type { JsonValue } from "../../canon/json.ts"
import { isWebUrl } from "../../canon/media-source.ts"
import { isVendorAddress, STATE, stateIn, type StateShape } from "../../canon/vendor-state.ts"

/**
 * Whether Google stores the file. The address of such a file is at Google, or is the name of an uploaded file. Files at
 * public addresses have no owner.
 */
function isKept(uri: JsonValue): boolean {
  return isVendorAddress(uri) || (typeof uri === "string" && !isWebUrl(uri))
}

const FILE = stateIn({ fileData: stateIn({ fileUri: { ...STATE.file, when: isKept } }) })

const PART: StateShape = {
  ...FILE,
  also: [stateIn({ functionResponse: stateIn({ parts: FILE }) })],
}

/** The places in a request to generate content that refer to state stored by the vendor (@google/genai). */
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
