// Names by which well-known packages are imported: what is not there of these lacks here, while a name that nobody knows is most
// likely a file's, misspelt. Taken from what Pyodide and typeshed know of, and from what programs use most.
const KNOWN = new Set(`
  absl aenum agate aio_pika aiocache aiofiles aiogram aiohttp aiomysql aioredis aiosqlite airflow alembic allure altair amqp annotated_types anthropic antlr4 anyio apispec apscheduler
  argcomplete argon2 arrow arviz asgiref assertpy astor astropy asttokens async_timeout asyncclick asyncpg asyncssh attr attrs authlib autogen automat av azure
  babel backoff backports bandit bcrypt beanie behave billiard binaryornot bitarray bitstring black bleach blinker bokeh boltons boto boto3 botocore bottle bottleneck braintree brotli bs4 bson
  cachecontrol cached_property cachetools cairo camelot cartopy casadi catboost cattr cattrs celery cerberus certifi cffi chardet charset_normalizer chess chromadb ciso8601 click clickhouse_driver cloudpickle cloudscraper
  cmdstanpy cohere colorama coloredlogs colorlog colour confluent_kafka consul contourpy coverage crewai croniter crypto Crypto Cryptodome cryptography cssselect cupy curl_cffi cv2 cvxopt cvxpy cycler cython cytoolz
  dacite daphne dash dask databases dateparser dateutil datasets ddt deap decorator decouple deepdiff deepface deprecated dgl dict2xml dill discord diskcache distributed distro django dlib dns docker docopt docutils docx docx2pdf dotenv
  dotmap duckdb easydict ebooklib ecdsa elasticsearch elasticsearch_dsl email_validator emoji environ environs etils evaluate exceptiongroup executing exifread expiringdict eyed3
  fabric factory faiss faker falcon fastai fastapi fastavro fasteners fastjsonschema fastmcp fastparquet feedparser filelock fire fitz flair flake8 flask flask_admin flask_bcrypt flask_caching flask_cors flask_jwt_extended flask_limiter
  flask_login flask_mail flask_marshmallow flask_migrate flask_restful flask_restx flask_socketio flask_sqlalchemy flask_wtf flax flexmock fontTools formencode fpdf freezegun frozendict frozenlist fsspec funcy furl future fuzzywuzzy
  gcsfs gensim geopandas geopy gevent gidgethub git gitlab github gluonts gmpy2 google googleapiclient googlemaps gooey gql gradio graphene graphql graphviz greenlet gridfs grpc gspread gtts guardrails gunicorn gym gymnasium
  h11 h2 h3 h5py hamcrest haystack hdbscan html2text html5lib httpcore httplib2 httptools httpx huey huggingface_hub humanize hydra hypercorn hypothesis
  icalendar icecream icontract idna igraph ijson imageio imblearn imgaug inflect inflection influxdb iniconfig inquirer instructor invoke ipaddr ipykernel ipywidgets IPython isodate isort itsdangerous
  jax jedi jellyfish jieba jinja2 jmespath jose joblib josepy jpype jsonlines jsonpatch jsonpath_ng jsonpickle jsonpointer jsonschema jupyter jwcrypto jwt kafka keras keyboard keyring kivy kiwisolver kombu kubernetes
  lancedb langchain langchain_community langchain_core langchain_openai langdetect langgraph lark ldap3 levenshtein Levenshtein libcst librosa lightgbm lightning line_profiler litellm llama_cpp llama_index llvmlite locust logbook loguru lru lxml lz4
  magic mako mammoth mangum manim markdown markdown2 markdownify markupsafe marshmallow matplotlib mcp mechanize memcache memory_profiler mido minio mistralai mistune mlflow mne mock mongoengine mongomock monotonic more_itertools moto motor
  moviepy mpi4py mpl_toolkits mplfinance mpmath msal msgpack msgspec multidict multipart multipledispatch munch mutagen mypy mypy_extensions MySQLdb mysql
  nacl names nanoid narwhals natsort nbformat neo4j netaddr netifaces netmiko networkx newspaper nibabel nltk nose nox ntplib numba numexpr numpy numpydoc nvidia
  oauth2client oauthlib odmantic ollama omegaconf onnx onnxruntime open3d openai openapi_spec_validator opencensus openpyxl opentelemetry optax optuna orjson ormar osmnx
  packaging paddle paho pandas pandera paramiko parameterized parse parsel parso passlib pathos pathspec pathvalidate patsy pdf2image pdfkit pdfminer pdfplumber peewee peft pendulum pexpect pgvector phonenumbers pika PIL pint pinecone pip
  pipx pkg_resources platformdirs playhouse playsound playwright plotly pluggy ply polars pony prefect pretty_midi prettytable progressbar prometheus_client prompt_toolkit propcache proto prophet psutil psycopg psycopg2 ptyprocess pulp pulsar
  py pyarrow pyasn1 pyaudio pyautogui pybind11 pycountry pycparser pycurl pydantic pydantic_ai pydantic_core pydantic_settings pydash pydot pydub pyfiglet pyflakes pygal pygame pyglet pygments pyinotify pylint pymc pymongo pymssql pymupdf pymysql
  pynamodb pynput pyodbc pyparsing pypdf PyPDF2 pyperclip pyproj PyQt5 PyQt6 pyrebase pyro pyrogram pyrsistent pyscreeze pyserial PySide2 PySide6 pyspark pysftp pysnmp pystache pytesseract pytest_asyncio pytest_benchmark pytest_cov pytest_django
  pytest_httpx pytest_mock pytest_subtests pytest_timeout pythoncom pythonjsonlogger pytimeparse pytorch_lightning pytube pytz pyttsx3 pyudev pyvista pywebio pywinauto pywt qdrant_client qiskit qrcode quart
  rapidfuzz rasterio ratelimit ray rdflib redis reflex regex reportlab requests requests_html requests_mock requests_oauthlib requests_toolbelt respx responses retry retrying rfc3339 rich robin_stocks robot rpy2 rq rsa ruamel rustworkx
  s3fs sagemaker sanic scapy schedule schema scikitplot scipy scp scrapy seaborn selenium selenium_stealth selectolax semver sendgrid sentence_transformers sentencepiece sentry_sdk serial setuptools sh shap shapely shortuuid simplejson simpy
  sismic six skimage sklearn skopt slack slack_bolt slack_sdk slowapi slugify smart_open smbus snowflake sniffio socketio socks sortedcontainers soundfile soupsieve spacy speech_recognition sqlalchemy sqlalchemy_utils sqlglot sqlmodel sqlparse
  ssh2 sshtunnel starlette statsmodels stem strawberry streamlit stripe structlog surprise sympy syrupy tables tabulate telebot telegram telethon tenacity tensorboard tensorboardX tensorflow tensorflow_datasets tensorflow_hub termcolor
  testcontainers testfixtures textblob textdistance textual tfds thefuzz thinc tiktoken timm tinydb tinycss2 tld tldextract tokenizers toml tomli tomli_w tomlkit toolz toposort torch torch_geometric torchaudio torchmetrics torchtext torchvision tornado
  tortoise tox tqdm traitlets transformers transitions translate trio tweepy twilio twisted typeguard typer typing_extensions typing_inspect tzdata tzlocal tzwhere
  ujson umap uncertainties unidecode unittest2 unstructured uritemplate url_normalize urllib3 urwid usb usearch user_agents uvicorn uvloop
  validators vcr vllm voluptuous vtk w3lib wagtail waitress wand wandb warcio watchdog watchfiles wcwidth weasyprint weaviate webargs webcolors webdriver_manager webob websocket websockets webtest werkzeug wget wheel whisper whitenoise whoosh wikipedia
  win32api win32com win32con win32gui wordcloud wrapt wsproto wtforms wx xarray xgboost xhtml2pdf xlrd xlsxwriter xlwings xlwt xmlschema xmltodict xxhash yaml yarl yfinance youtube_dl yt_dlp zarr zeep zmq zope zstandard zstd
  js pyodide pyodide_js micropip RPi smbus2 board digitalio machine utime gpiozero picamera bluetooth
`.split(/\s+/).filter(Boolean))

/** Whether a module that is not there is a package that could be installed elsewhere. */
export function isPackage (name: string): boolean {
  return KNOWN.has(name) || /^(?:pytest|flask|django|google|azure|langchain|opentelemetry|rest_framework)(?:_|$)/.test(name) || /^pytest-|^[a-z]+-[a-z]/.test(name)
}
