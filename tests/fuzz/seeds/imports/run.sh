#!/bin/bash
# GPT-3 175B
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NUM_NODES=${NUM_NODES:-16}
MASTER_ADDR=$(hostname)
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
CHECKPOINT_PATH=$1
if [ -z "$2" ]; then TB=foo; fi

DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE 
    --nnodes $NUM_NODES 
    --master_addr $MASTER_ADDR 
)
GPT_MODEL_ARGS=(
    --num-layers 96 
    --hidden-size 12288 
    --num-attention-heads 96 
    --seq-length 2048 # comment
    --max-position-embeddings 2048 
)
TRAINING_ARGS=(
    --micro-batch-size 1 
    --global-batch-size 1536 
    --train-iters 500000 
    --bf16 --foo-bar 3
    --lr 6.0e-5 
    --use-distributed-optimizer --recompute-activations
)
PAR=" --tensor-model-parallel-size 8 \
 --pipeline-model-parallel-size $((WORLD_SIZE / 8 / 1)) --sequence-parallel --num-layers-per-virtual-pipeline-stage 3"
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} \
    "${TRAINING_ARGS[@]}" \
    ${PAR} \
    --tokenizer-type GPT2BPETokenizer --vocab-file $VOCAB 2>&1 | tee log.txt
