import { Alert, Select } from "@mantine/core"
import { IconInfoCircle } from "../../ui/icons.tsx"
import { createContext, type ReactNode, useContext, useMemo, useState } from "react"
import { useAccount } from "../../account.tsx"
import { useSession } from "../../session.tsx"
import type { Payer } from "./secrets.ts"
import { t } from "../../languages/text.ts"

interface Payment {
  readonly payer: Payer | undefined
  /** Reason why no request can be sent; undefined if requests are possible. */
  readonly obstacle: string | undefined
}

const PaymentContext = createContext<Payment>({ payer: undefined, obstacle: undefined })

/** Returns the account that pays for playground requests. */
export function usePayment(): Payment {
  return useContext(PaymentContext)
}

/** Determines the paying account: the selected account, or the account that an operator picks here. */
export function PaymentProvider({ children }: { readonly children: ReactNode }) {
  const { user } = useSession()
  const { account, accounts, may } = useAccount()
  const [picked, setPicked] = useState<string | null>(null)
  const only = accounts.length === 1 ? accounts[0]?.id : undefined
  const id = account?.id ?? picked ?? only
  const isAllowed = account === undefined || may("member")
  const payment = useMemo<Payment>(
    () => ({
      payer: id === undefined || !isAllowed ? undefined : { user: user?.id ?? "", account: id },
      obstacle: obstacleOf(id, isAllowed),
    }),
    [id, isAllowed, user?.id],
  )
  return (
    <PaymentContext value={payment}>
      {account === undefined && only === undefined && accounts.length > 0 && (
        <Select
          label={t("Account that pays")}
          description={t(
            "You are viewing all accounts. Requests from here are charged to one account.",
          )}
          placeholder={t("Choose an account")}
          maw={360}
          data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
          value={picked}
          onChange={setPicked}
          searchable
        />
      )}
      {!isAllowed && (
        <Alert color="yellow" icon={<IconInfoCircle />} title={t("You have read-only access")}>
          {t(
            "The playground calls models at the account's expense. Ask an owner to make you a member.",
          )}
        </Alert>
      )}
      {children}
    </PaymentContext>
  )
}

function obstacleOf(account: string | undefined, isAllowed: boolean): string | undefined {
  if (account === undefined) return t("Choose the account that pays first.")
  return isAllowed ? undefined : t("A viewer of an account cannot call models.")
}
