import type { KeptConversation } from "./kept-conversation.ts"
import { t } from "../../../languages/text.ts"

const DATABASE = "tollgate-playground"
const TABLE = "conversations"
const OWNER = "owner"
/** Maximum number of conversations per owner. The oldest conversations are deleted first. */
const MAX_CONVERSATIONS = 100

/**
 * Lists the stored conversations of an owner, newest first. They are stored in IndexedDB, which has room for images.
 * @throws if the browser stores nothing, such as in a private window.
 */
export async function listConversations(owner: string): Promise<KeptConversation[]> {
  const table = await openTable("readonly")
  const all = await outcome<KeptConversation[]>(table.index(OWNER).getAll(owner))
  return all.toSorted((left, right) => right.changedAt - left.changedAt)
}

/** Stores a conversation. @throws if the browser stores nothing, or if the disk is full. */
export async function keepConversation(conversation: KeptConversation): Promise<void> {
  const others = (await listConversations(conversation.owner)).filter(
    ({ id }) => id !== conversation.id,
  )
  const table = await openTable("readwrite")
  for (const { id } of others.slice(MAX_CONVERSATIONS - 1)) table.delete(id)
  await outcome(table.put(conversation))
}

/** Deletes conversations. @throws if the storage of the browser is unavailable. */
export async function forgetConversations(ids: readonly string[]): Promise<void> {
  const table = await openTable("readwrite")
  await Promise.all(ids.map((id) => outcome(table.delete(id))))
}

async function openTable(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.addEventListener("upgradeneeded", () => {
    opening.result.createObjectStore(TABLE, { keyPath: "id" }).createIndex(OWNER, OWNER)
  })
  const database = await outcome(opening)
  const transaction = database.transaction(TABLE, mode)
  // The database closes when the transaction ends.
  database.close()
  return transaction.objectStore(TABLE)
}

function outcome<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result))
    request.addEventListener("error", () => reject(request.error ?? new Error(t("Not kept."))))
  })
}
