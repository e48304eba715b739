import { showWholeReceipt } from "../relay/billing/receipt.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { withInstallation } from "./installation.ts"
import { describeReceipt, type ShownReceipt } from "./receipt-words.ts"

/** `tollgate receipt ID` */
export const registerReceipt: RegisterCommand = (program, terminal) => {
  program
    .command("receipt")
    .description("explain the charge for one request")
    .argument("<ID>", "id of the request, from the response header x-request-id")
    .action(async (id: string, _options: object, command) => {
      const receipt = await withInstallation(command, ({ store }) =>
        store.settlements.findReceipt(id),
      )
      if (!receipt) {
        throw new CommandError(
          "not_found",
          `there is no receipt '${id}'`,
          "Its id is the x-request-id of the response. A request that was rejected before it held credits has no receipt.",
        )
      }
      const shown = showWholeReceipt(receipt)
      outputOf(command, terminal).result(shown, (style) =>
        describeReceipt(shown as unknown as ShownReceipt, style),
      )
    })
}
