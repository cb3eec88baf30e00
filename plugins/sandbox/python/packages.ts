// Well-known packages, by the names of their modules, from Pyodide, typeshed and common use. If one of these cannot be imported, it is
// missing here. Any other name is more likely a file's, misspelt.
const KNOWN = new Set(`
  absl aenum agate aio_pika aiocache aiofiles aiogram aiohttp aiomysql aioredis aiosqlite airflow alembic allure altair amqp annotated_types
  anthropic antlr4 anyio apispec apscheduler argcomplete argon2 arrow arviz asgiref assertpy astor astropy asttokens async_timeout
  asyncclick asyncpg asyncssh attr attrs authlib autogen automat av azure babel backoff backports bandit bcrypt beanie behave billiard
  binaryornot bitarray bitstring black bleach blinker bluetooth board bokeh boltons boto boto3 botocore bottle bottleneck braintree brotli
  bs4 bson cachecontrol cached_property cachetools cairo camelot cartopy casadi catboost cattr cattrs celery cerberus certifi cffi chardet
  charset_normalizer chess chromadb ciso8601 click clickhouse_driver cloudpickle cloudscraper cmdstanpy cohere colorama coloredlogs colorlog
  colour confluent_kafka consul contourpy coverage crewai croniter Crypto crypto Cryptodome cryptography cssselect cupy curl_cffi cv2 cvxopt
  cvxpy cycler cython cytoolz dacite daphne dash dask databases datasets dateparser dateutil ddt deap decorator decouple deepdiff deepface
  deprecated dgl dict2xml digitalio dill discord diskcache distributed distro django dlib dns docker docopt docutils docx docx2pdf dotenv
  dotmap duckdb easydict ebooklib ecdsa elasticsearch elasticsearch_dsl email_validator emoji environ environs etils evaluate exceptiongroup
  executing exifread expiringdict eyed3 fabric factory faiss faker falcon fastai fastapi fastavro fasteners fastjsonschema fastmcp
  fastparquet feedparser filelock fire fitz flair flake8 flask flask_admin flask_bcrypt flask_caching flask_cors flask_jwt_extended
  flask_limiter flask_login flask_mail flask_marshmallow flask_migrate flask_restful flask_restx flask_socketio flask_sqlalchemy flask_wtf
  flax flexmock fontTools formencode fpdf freezegun frozendict frozenlist fsspec funcy furl future fuzzywuzzy gcsfs gensim geopandas geopy
  gevent gidgethub git github gitlab gluonts gmpy2 gooey google googleapiclient googlemaps gpiozero gql gradio graphene graphql graphviz
  greenlet gridfs grpc gspread gtts guardrails gunicorn gym gymnasium h11 h2 h3 h5py hamcrest haystack hdbscan html2text html5lib httpcore
  httplib2 httptools httpx huey huggingface_hub humanize hydra hypercorn hypothesis icalendar icecream icontract idna igraph ijson imageio
  imblearn imgaug inflect inflection influxdb iniconfig inquirer instructor invoke ipaddr ipykernel IPython ipywidgets isodate isort
  itsdangerous jax jedi jellyfish jieba jinja2 jmespath joblib jose josepy jpype js jsonlines jsonpatch jsonpath_ng jsonpickle jsonpointer
  jsonschema jupyter jwcrypto jwt kafka keras keyboard keyring kivy kiwisolver kombu kubernetes lancedb langchain langchain_community
  langchain_core langchain_openai langdetect langgraph lark ldap3 Levenshtein levenshtein libcst librosa lightgbm lightning line_profiler
  litellm llama_cpp llama_index llvmlite locust logbook loguru lru lxml lz4 machine magic mako mammoth mangum manim markdown markdown2
  markdownify markupsafe marshmallow matplotlib mcp mechanize memcache memory_profiler micropip mido minio mistralai mistune mlflow mne mock
  mongoengine mongomock monotonic more_itertools moto motor moviepy mpi4py mpl_toolkits mplfinance mpmath msal msgpack msgspec multidict
  multipart multipledispatch munch mutagen mypy mypy_extensions mysql MySQLdb nacl names nanoid narwhals natsort nbformat neo4j netaddr
  netifaces netmiko networkx newspaper nibabel nltk nose nox ntplib numba numexpr numpy numpydoc nvidia oauth2client oauthlib odmantic
  ollama omegaconf onnx onnxruntime open3d openai openapi_spec_validator opencensus openpyxl opentelemetry optax optuna orjson ormar osmnx
  packaging paddle paho pandas pandera parameterized paramiko parse parsel parso passlib pathos pathspec pathvalidate patsy pdf2image pdfkit
  pdfminer pdfplumber peewee peft pendulum pexpect pgvector phonenumbers picamera pika PIL pinecone pint pip pipx pkg_resources platformdirs
  playhouse playsound playwright plotly pluggy ply polars pony prefect pretty_midi prettytable progressbar prometheus_client prompt_toolkit
  propcache prophet proto psutil psycopg psycopg2 ptyprocess pulp pulsar py pyarrow pyasn1 pyaudio pyautogui pybind11 pycountry pycparser
  pycurl pydantic pydantic_ai pydantic_core pydantic_settings pydash pydot pydub pyfiglet pyflakes pygal pygame pyglet pygments pyinotify
  pylint pymc pymongo pymssql pymupdf pymysql pynamodb pynput pyodbc pyodide pyodide_js pyparsing pypdf PyPDF2 pyperclip pyproj PyQt5 PyQt6
  pyrebase pyro pyrogram pyrsistent pyscreeze pyserial pysftp PySide2 PySide6 pysnmp pyspark pystache pytesseract pytest_asyncio
  pytest_benchmark pytest_cov pytest_django pytest_httpx pytest_mock pytest_subtests pytest_timeout pythoncom pythonjsonlogger pytimeparse
  pytorch_lightning pyttsx3 pytube pytz pyudev pyvista pywebio pywinauto pywt qdrant_client qiskit qrcode quart rapidfuzz rasterio ratelimit
  ray rdflib redis reflex regex reportlab requests requests_html requests_mock requests_oauthlib requests_toolbelt responses respx retry
  retrying rfc3339 rich robin_stocks robot RPi rpy2 rq rsa ruamel rustworkx s3fs sagemaker sanic scapy schedule schema scikitplot scipy scp
  scrapy seaborn selectolax selenium selenium_stealth semver sendgrid sentence_transformers sentencepiece sentry_sdk serial setuptools sh
  shap shapely shortuuid simplejson simpy sismic six skimage sklearn skopt slack slack_bolt slack_sdk slowapi slugify smart_open smbus
  smbus2 sniffio snowflake socketio socks sortedcontainers soundfile soupsieve spacy speech_recognition sqlalchemy sqlalchemy_utils sqlglot
  sqlmodel sqlparse ssh2 sshtunnel starlette statsmodels stem strawberry streamlit stripe structlog surprise sympy syrupy tables tabulate
  telebot telegram telethon tenacity tensorboard tensorboardX tensorflow tensorflow_datasets tensorflow_hub termcolor testcontainers
  testfixtures textblob textdistance textual tfds thefuzz thinc tiktoken timm tinycss2 tinydb tld tldextract tokenizers toml tomli tomli_w
  tomlkit toolz toposort torch torch_geometric torchaudio torchmetrics torchtext torchvision tornado tortoise tox tqdm traitlets
  transformers transitions translate trio tweepy twilio twisted typeguard typer typing_extensions typing_inspect tzdata tzlocal tzwhere
  ujson umap uncertainties unidecode unittest2 unstructured uritemplate url_normalize urllib3 urwid usb usearch user_agents utime uvicorn
  uvloop validators vcr vllm voluptuous vtk w3lib wagtail waitress wand wandb warcio watchdog watchfiles wcwidth weasyprint weaviate webargs
  webcolors webdriver_manager webob websocket websockets webtest werkzeug wget wheel whisper whitenoise whoosh wikipedia win32api win32com
  win32con win32gui wordcloud wrapt wsproto wtforms wx xarray xgboost xhtml2pdf xlrd xlsxwriter xlwings xlwt xmlschema xmltodict xxhash yaml
  yarl yfinance youtube_dl yt_dlp zarr zeep zmq zope zstandard zstd
`.split(/\s+/).filter(Boolean))

/** Whether a module that cannot be imported is a package that could be installed elsewhere. */
export function isPackage (name: string): boolean {
  const isFamily = /^(?:pytest|flask|django|google|azure|langchain|opentelemetry|rest_framework)(?:_|$)/.test(name)
  return KNOWN.has(name) || isFamily || /^[a-z]+-[a-z]/.test(name)
}
