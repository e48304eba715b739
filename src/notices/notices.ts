import type { NoticeType } from "#contract/notice-types.ts"
import { randomText } from "../canon/random-text.ts"
import type { MarkChange } from "../store/notices.ts"
import type { Store } from "../store/store.ts"

/**
 * Maximum notices that are being stored at the same time. While the database is unavailable, further notices are
 * dropped and reported.
 */
const MAX_PENDING = 100
const ID_LENGTH = 24

export interface NoticeAlarms {
  /** Called if notices could not be stored or delivered, or if their data could not be read. */
  noticesFailed(error: unknown): void
}

/** A notice to store. */
export interface NoticeInput {
  readonly type: NoticeType
  /** The account of the notice; absent if the notice only concerns the operator. */
  readonly account?: string
  /** The data of the notice. docs/run/notices.md describes it for each type. Amounts are decimal text. */
  readonly data: Readonly<Record<string, unknown>>
  /** A mark that is changed in the same transaction. If another process has already changed it, no notice is stored. */
  readonly mark?: MarkChange
  /** Restricts the notice to one target. */
  readonly target?: string
}

/** Stores notices for people, without delaying the caller. */
export class Notices {
  readonly #store: Pick<Store, "notices">
  readonly #alarms: NoticeAlarms
  readonly #underWay = new Set<Promise<unknown>>()
  /** Called when there is a notice to deliver. */
  onRaised: (() => void) | undefined

  constructor(store: Pick<Store, "notices">, alarms: NoticeAlarms) {
    this.#store = store
    this.#alarms = alarms
  }

  /** Stores a notice in the background. If the notice cannot be stored, this is reported and the notice is lost. */
  notify(input: NoticeInput): void {
    if (this.#underWay.size >= MAX_PENDING) {
      this.#alarms.noticesFailed(new Error("too many notices at once; dropped one"))
      return
    }
    const step: Promise<unknown> = this.raise(input)
      .catch((error: unknown) => this.#alarms.noticesFailed(error))
      .finally(() => this.#underWay.delete(step))
    this.#underWay.add(step)
  }

  /** Stores a notice. @returns its id, or undefined if the mark no longer has its `from` value. */
  async raise({ type, account, data, mark, target }: NoticeInput): Promise<string | undefined> {
    const notice = {
      id: `evt_${randomText(ID_LENGTH)}`,
      account: account ?? null,
      type,
      at: Date.now(),
      data: JSON.stringify(data),
      ...(target !== undefined && { target }),
    }
    if (!(await this.#store.notices.raise(notice, mark ?? null))) return undefined
    this.onRaised?.()
    return notice.id
  }

  /** Resolves when all notices in progress are stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}
