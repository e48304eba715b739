import type { NoticeType } from "#contract/notice-types.ts"
import { randomText } from "../canon/random-text.ts"
import type { MarkChange } from "../store/notices.ts"
import type { Store } from "../store/store.ts"

/** Raised at the same time at most: when the database is away, what is beyond is lost, and counted. */
const MOST_UNDER_WAY = 100
const ID_LENGTH = 24

export interface NoticeAlarms {
  /** Notices could not be stored, or what they tell of not be read. */
  noticesFailed(error: unknown): void
}

/** What happened. */
export interface NewsItem {
  readonly type: NoticeType
  /** Absent: it concerns the operator only. */
  readonly account?: string
  /** By type, in docs/notices.md; amounts are decimal text. */
  readonly data: Readonly<Record<string, unknown>>
  /** Changed together with it; when another process has changed it, that one tells. */
  readonly mark?: MarkChange
  /** The only target it is for. */
  readonly target?: string
}

/** Stores what people are to be told of. Whoever tells it does not wait. */
export class Notices {
  readonly #store: Pick<Store, "notices">
  readonly #alarms: NoticeAlarms
  readonly #underWay = new Set<Promise<unknown>>()
  /** Called when there is something to deliver. */
  onRaised: (() => void) | undefined

  constructor(store: Pick<Store, "notices">, alarms: NoticeAlarms) {
    this.#store = store
    this.#alarms = alarms
  }

  /** Stores it soon. What cannot be stored is an alarm, and lost. */
  tell(news: NewsItem): void {
    if (this.#underWay.size >= MOST_UNDER_WAY) {
      this.#alarms.noticesFailed(new Error("too many notices at once: one was dropped"))
      return
    }
    const step: Promise<unknown> = this.raise(news)
      .catch((error: unknown) => this.#alarms.noticesFailed(error))
      .finally(() => this.#underWay.delete(step))
    this.#underWay.add(step)
  }

  /** @returns its id; undefined when the mark is not what it is changed from. */
  async raise({ type, account, data, mark, target }: NewsItem): Promise<string | undefined> {
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

  /** When all that was told is stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}
