// Names that programs often use without importing them, by module of Python's and Node's standard libraries. Extend freely.

export const PYTHON_NAMES: Record<string, string> = Object.fromEntries(Object.entries({
  typing: 'Any Callable ClassVar Dict FrozenSet Generator Generic Iterable Iterator List Literal Mapping MutableMapping NamedTuple '
    + 'Optional Protocol Sequence Set Tuple Type TypedDict TypeVar Union cast overload',
  collections: 'ChainMap Counter OrderedDict defaultdict deque namedtuple',
  functools: 'cache cached_property cmp_to_key lru_cache partial reduce singledispatch wraps',
  itertools: 'accumulate chain combinations combinations_with_replacement groupby islice pairwise permutations product takewhile '
    + 'zip_longest',
  dataclasses: 'asdict dataclass field replace',
  abc: 'ABC abstractmethod',
  enum: 'Enum IntEnum auto',
  contextlib: 'contextmanager suppress',
  datetime: 'date timedelta timezone',
  decimal: 'Decimal ROUND_HALF_UP',
  fractions: 'Fraction',
  heapq: 'heapify heappop heappush nlargest nsmallest',
  bisect: 'bisect_left bisect_right insort',
  math: 'ceil comb factorial floor gcd isqrt lcm log2 prod sqrt',
  pathlib: 'Path',
  copy: 'deepcopy',
  string: 'ascii_letters ascii_lowercase ascii_uppercase',
  uuid: 'uuid4'
}).flatMap(([module, names]) => names.split(' ').map(name => [name, module])))

export const PYTHON_MODULES = new Set(('argparse array ast asyncio base64 bisect calendar collections contextlib copy csv dataclasses '
  + 'datetime decimal enum fractions functools '
  + 'hashlib heapq inspect io itertools json logging math operator os pathlib pickle queue random re secrets shutil sqlite3 statistics '
  + 'string struct subprocess sys tempfile '
  + 'textwrap threading time traceback types typing unicodedata unittest urllib uuid warnings').split(' '))

export const NODE_MODULES = new Set('assert crypto events fs os path readline url util zlib'.split(' '))
