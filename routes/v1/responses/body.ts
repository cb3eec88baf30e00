import type { RunEvent, RunView } from '../../../plugins/runs/run.js'
import type { ServiceError } from '../../../schemas/errors.js'
import type { Names } from '../../../schemas/responses/names.js'
import type { ResponseObject } from '../../../schemas/responses/reply.js'
import type { BodyWriter } from '../reply/collect.js'
import { Output } from './output.js'
import { type Echo, keyOf, responseOf } from './response.js'

/** Makes a response object of a reply. */
export class ResponseWriter implements BodyWriter<ResponseObject> {
  readonly #run: RunView
  readonly #echo: Echo
  readonly #output: Output

  constructor ({ run, echo, names }: { run: RunView, echo: Echo, names: Names }) {
    this.#run = run
    this.#echo = echo
    this.#output = new Output({ key: keyOf(run), names })
  }

  add (event: RunEvent): void {
    this.#output.add(event)
  }

  async finish (): Promise<ResponseObject> {
    this.#output.finish(this.#run.finish)
    return responseOf(this.#parts, { usage: await this.#run.usage(this.#output.text) })
  }

  fail (error: ServiceError): ResponseObject {
    this.#output.breakOff()
    return responseOf(this.#parts, { error })
  }

  get #parts () {
    return { run: this.#run, echo: this.#echo, items: this.#output.items }
  }
}
